"""Every 20 minutes: fetch what has come back from the archive (Airflow 3)."""

from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG(
    dag_id="svc_resume_restore",
    schedule=timedelta(minutes=20),
    start_date=datetime(2026, 1, 1),
    catchup=False,
    # One run at a time: the account has one session.
    max_active_runs=1,
):
    # The credentials are SVC_* variables of the worker: Airflow shows parameters and templates to everybody.
    BashOperator(
        task_id="resume_restore",
        # --pendingOk: restorations that are still pending are no failure, and the next run looks again.
        bash_command="svc-resume-restore --restorationFile awaiting-restoration.json --pendingOk",
        cwd="/srv/svc",
        # The step tries again by itself where that helps.
        retries=0,
        execution_timeout=timedelta(hours=6),
    )
